"""Pay: a project's ledger for administrators, and everybody's own."""

from django.urls import path

from annotation.pay import api, api_disputes
from annotation.pay import views as my_pay
from annotation.pay import views as pay

PROJECT = "api/v1/projects/<slug:slug>/"
urlpatterns = [
    path("p/<slug:slug>/pay/", pay.pay, name="pay"),
    path("p/<slug:slug>/pay/rate/", pay.pay_rate, name="pay_rate"),
    path("p/<slug:slug>/pay/approve/", pay.pay_approve, name="pay_approve"),
    path("p/<slug:slug>/pay/paid/", pay.pay_paid, name="pay_paid"),
    path("p/<slug:slug>/pay/<slug:table>.csv", pay.pay_csv, name="pay_csv"),
    path("p/<slug:slug>/pay/entry/<uuid:token>/", pay.pay_reverse, name="pay_reverse"),
    path("p/<slug:slug>/pay/dispute/<int:dispute_id>/", pay.pay_dispute_answer, name="pay_dispute_answer"),
    path("me/pay/", my_pay.my_pay, name="my_pay"),
    path("me/pay.csv", my_pay.my_pay_csv, name="my_pay_csv"),
    path("me/pay/<uuid:token>/", my_pay.my_pay_dispute, name="my_pay_dispute"),
    path(f"{PROJECT}my-pay", api.OwnPay.as_view(), name="api_own_pay"),
    path(f"{PROJECT}my-pay:export", api.OwnPayExport.as_view(), name="api_own_pay_export"),
    path(f"{PROJECT}rates", api.Rates.as_view(), name="api_rates"),
    path(f"{PROJECT}pay:approve", api.PayApprove.as_view(), name="api_pay_approve"),
    path(f"{PROJECT}pay:paid", api.PayPaid.as_view(), name="api_pay_paid"),
    path(f"{PROJECT}pay:approvals", api.Approvals.as_view(), name="api_approvals"),
    path(f"{PROJECT}pay", api.ProjectPay.as_view(), name="api_pay"),
    path(f"{PROJECT}pay:export", api_disputes.PayExport.as_view(), name="api_pay_export"),
    path(f"{PROJECT}pay/<uuid:token>:reverse", api_disputes.PayReverse.as_view(), name="api_pay_reverse"),
    path(f"{PROJECT}disputes", api_disputes.Disputes.as_view(), name="api_disputes"),
    path(f"{PROJECT}disputes/<int:dispute_id>", api_disputes.DisputeView.as_view(), name="api_dispute"),
    path(
        f"{PROJECT}disputes/<int:dispute_id>:answer",
        api_disputes.DisputeAnswer.as_view(),
        name="api_dispute_answer",
    ),
    path(f"{PROJECT}my-pay/<uuid:token>:dispute", api_disputes.OwnDispute.as_view(), name="api_own_dispute"),
]
